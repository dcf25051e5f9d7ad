import { useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';

/** For links to pages that are one line on narrow screens: scrolls the link of the open page into view. */
export function useOpenLink(): RefObject<HTMLElement | null> {
  const links = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is open when the path is another one
  useEffect(() => {
    const open = links.current?.querySelector('[aria-current="page"]');
    open?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [path]);
  return links;
}
