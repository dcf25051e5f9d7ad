import { useState } from 'react';

/** The group that the pointer or the keyboard shows; undefined for none, also when the groups became fewer. */
export function useActive(count: number) {
  const [active, setActive] = useState<number>();
  return [active !== undefined && active < count ? active : undefined, setActive] as const;
}
