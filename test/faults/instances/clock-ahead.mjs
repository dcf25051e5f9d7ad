// Loaded before the service (node --import). Shifts the wall clock; the monotonic clock stays right.
import process from 'node:process';

const AHEAD_MS = Number(process.env.CLOCK_AHEAD_MS);
const now = Date.now;

Date.now = () => now() + AHEAD_MS;

globalThis.Date = new Proxy(Date, {
  construct: (target, given, made) =>
    Reflect.construct(target, given.length === 0 ? [target.now()] : given, made),
  apply: target => new target(target.now()).toString(),
});
