// Preloaded into an instance. A GET returns the longest time in milliseconds that the event loop was blocked
// since the last GET. The time that its thread waited for a processor is not counted where the system reports it
// (Linux), because other processes cause it.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';

// The thread that runs JavaScript is the one whose id is that of the process.
const SCHEDULE = `/proc/self/task/${process.pid}/schedstat`;

/** Milliseconds since the start in which this thread was not waiting for a processor. */
function scheduled() {
  let waited = 0;
  try {
    // Nanoseconds on a processor, nanoseconds waiting for one, and the number of time slices.
    waited = Number(readFileSync(SCHEDULE, 'utf8').split(' ')[1]) / 1e6;
  } catch {}
  return performance.now() - waited;
}

let [last, longest] = [scheduled(), 0];
setInterval(() => {
  const now = scheduled();
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
