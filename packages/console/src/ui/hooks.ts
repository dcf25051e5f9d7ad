import { useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { t } from '../i18n/language.js';

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

/** Sets the title of the window. Undefined leaves it to another component. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} – ${t('common.productName')}`;
  }, [title]);
}
