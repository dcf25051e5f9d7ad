import { useEffect } from 'react';
import { commandOf, hasSingleKeys } from './keys.js';

/** What stands over the page. */
export type Overlay = 'palette' | 'shortcuts' | undefined;

/** Opens the palette with Ctrl or ⌘ and K, and the list of shortcuts with a question mark. */
export function useShortcuts(open: (overlay: Overlay) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const overlay = commandOf(event, hasSingleKeys() && !isTyping(event));
      if (overlay === undefined) return;
      event.preventDefault();
      open(overlay);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [open]);
}

/** True where a key writes a character. The first element of the path is also found inside shadow roots. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
