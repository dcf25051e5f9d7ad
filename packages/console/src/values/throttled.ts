/** Calls at most ten times a second. `flush` shows the last value, at the end. */
export function throttled<T>(show: (value: T) => void) {
  let last = 0;
  let latest: { readonly value: T } | undefined;
  const flush = () => {
    if (latest !== undefined) show(latest.value);
  };
  const call = (value: T) => {
    latest = { value };
    const now = performance.now();
    if (now - last < 100) return;
    last = now;
    flush();
  };
  return { call, flush };
}
