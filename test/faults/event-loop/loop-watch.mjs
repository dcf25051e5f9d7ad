// Preloaded into an instance. A GET returns the longest time in milliseconds that the event loop was blocked
// since the last GET.
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';

let [last, longest] = [performance.now(), 0];
setInterval(() => {
  const now = performance.now();
  longest = Math.max(longest, now - last - 5);
  last = now;
}, 5).unref();

createServer((_, response) => {
  // The next GET may come at any time, so no idle connection is kept that could be closed at that moment.
  response.setHeader('connection', 'close').end(String(longest));
  longest = 0;
})
  .listen(Number(process.env.LOOP_WATCH_PORT), '127.0.0.1')
  .unref();
