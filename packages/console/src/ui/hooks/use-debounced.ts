import { useEffect, useState } from 'react';

const WAIT_MS = 250;

/** The value as it was when it last stood still for a quarter of a second. */
export function useDebounced<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), WAIT_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
