// Preloaded into an instance: GET tells for how long the event loop was kept at once, in milliseconds, since the last time.
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';

let [last, longest] = [performance.now(), 0];
setInterval(() => {
  const now = performance.now();
  longest = Math.max(longest, now - last - 5);
  last = now;
}, 5).unref();

createServer((_, response) => {
  // The next question may come at any time: no connection is kept that would be closed just then.
  response.setHeader('connection', 'close').end(String(longest));
  longest = 0;
})
  .listen(Number(process.env.LOOP_WATCH_PORT), '127.0.0.1')
  .unref();
