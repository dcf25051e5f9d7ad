// A list of the titles in a collection that follows every change, whoever makes it.
import { createClient, PositionExpiredError } from '@typed-collections/client';

/** @type {(selector: string) => any} */
const element = selector => document.querySelector(selector);
const [connect, add, list, status] = ['#connect', '#add', '#list', '#status'].map(element);
/** @type {Map<string, HTMLLIElement>} */
const items = new Map();
/** @type {ReturnType<ReturnType<typeof createClient>['collection']> | undefined} */
let records;
let stop = new AbortController();

// Not the key: addresses are kept in the history of the browser.
for (const name of ['url', 'collection']) {
  connect.elements[name].value = new URLSearchParams(location.search).get(name) ?? '';
}

connect.addEventListener('submit', (/** @type {Event} */ event) => {
  event.preventDefault();
  const { url, collection, key } = connect.elements;
  // Without a key and a token, the client sends the cookie of the service.
  records = createClient({ url: url.value, ...(key.value && { key: key.value }) }).collection(
    collection.value,
  );
  stop.abort();
  stop = new AbortController();
  const { signal } = stop;
  follow(records, signal).catch(error => signal.aborted || report(error));
});

add.addEventListener('submit', async (/** @type {Event} */ event) => {
  event.preventDefault();
  try {
    if (records === undefined) throw new Error('connect first');
    // The new record reaches the list as a change, like the records of everybody else.
    await records.insert({ title: add.elements.title.value });
    add.reset();
  } catch (error) {
    report(error);
  }
});

/** @type {(books: NonNullable<typeof records>, signal: AbortSignal) => Promise<void>} */
async function follow(books, signal) {
  try {
    items.clear();
    list.replaceChildren();
    // The position is taken first: a change while the records are read is then shown twice, and not lost.
    const since = await books.position({ signal });
    for await (const record of books.find({}, { fields: ['title'], signal })) {
      if (signal.aborted) return;
      show(record);
    }
    status.textContent = 'Following changes.';
    for await (const { type, record } of books.changes({ since, signal })) {
      if (type === 'inserted' || type === 'updated') show(record);
      else items.get(record._id)?.remove();
    }
  } catch (error) {
    // The computer slept for longer than the service keeps changes: read everything again.
    if (error instanceof PositionExpiredError) return follow(books, signal);
    throw error;
  }
}

/** @type {(record: { _id: string, title?: unknown }) => void} */
function show({ _id, title }) {
  const item = items.get(_id) ?? document.createElement('li');
  // As text, because anybody may have written it.
  item.textContent = String(title);
  if (!item.isConnected) list.append(item);
  items.set(_id, item);
}

/** @type {(error: unknown) => void} */
function report(error) {
  status.textContent = String(error);
}
