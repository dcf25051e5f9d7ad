const RELOADED = 'reloaded for a missing part';
/** Milliseconds in which a page loads itself again at most once, so that a part that is really missing is shown as an error. */
const AT_MOST_ONCE = 10_000;

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/**
 * Loads the page again when a part of the console is gone: after an upgrade the service has the parts under other names.
 * Nothing is lost, because unsaved changes are stored. `page` gets the events of the loader of parts.
 */
export function reloadAfterUpgrade(page: EventTarget, store: Store, reload: () => void): void {
  page.addEventListener('vite:preloadError', event => {
    const last = Number(store.getItem(RELOADED) ?? 0);
    if (Date.now() - last < AT_MOST_ONCE) return;
    store.setItem(RELOADED, String(Date.now()));
    event.preventDefault();
    reload();
  });
}
