import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, insert, newHome, newTypedCollection, outcome } from '../../harness/collection.js';
import { exported, exportFile, importFile } from './transfer.js';

describe('exports as one JSON array, and CSV for spreadsheets', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  it('writes all records as one array, which imports read again', async () => {
    const [collection, copy] = [await newTypedCollection(app, home), await newTypedCollection(app, home)];
    const records = Array.from({ length: 1_500 }, (_, n) => ({
      title: `],[ ${n}`,
      year: n,
      details: { n: [n, null] },
      f: n / 4,
    }));
    for (const from of [0, 750]) await insert(app, collection, ...records.slice(from, from + 750));
    const { text, headers } = await exportFile(app, collection, { format: 'json' });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${collection.name}.json"`);
    expect(JSON.parse(text)).toEqual(await exported(app, collection));
    const answer = await importFile(app, copy, text, { type: 'application/json' });
    expect(answer.last).toMatchObject({ ok: true, inserted: 1_500 });
    expect(await exported(app, copy, { fields: '{"_id":0,"created_at":0,"updated_at":0}' })).toEqual(
      await exported(app, collection, { fields: '{"_id":0,"created_at":0,"updated_at":0}' }),
    );
  });

  it('writes an empty array, and projects the records', async () => {
    const collection = await newTypedCollection(app, home);
    expect((await exportFile(app, collection, { format: 'json' })).text).toBe('[]\n');
    await insert(app, collection, { title: 'a', details: { x: 1, y: 2 } }, { title: 'b' });
    const fields = '{"title":1,"details.x":1,"_id":0}';
    const body = { format: 'json', fields: JSON.parse(fields), sort: { title: -1 } };
    const posted = await app.request('POST', `${collection.path}/export`, { ...collection.owner, body });
    expect(JSON.parse(posted.text)).toEqual([{ title: 'b' }, { title: 'a', details: { x: 1 } }]);
  });

  const TEXTS = [
    ...['=1+1', '+33 1 23', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠x', '-'],
    ...['="a,b"', '-5', '-5.25', '-1e9', 'a=b', "'=1", '', 'Größe', '1', 'ｅ'],
  ];
  const isGuarded = (text: string) =>
    /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^-\d+(\.\d+)?(e\d+)?$/.test(text);

  it.each(['title', 'flexible', 'details', 'tags'])(
    'guards in the field %s what a spreadsheet would run',
    async field => {
      const collection = await newTypedCollection(app, home);
      const sent = (text: string) => (field === 'tags' ? [text] : text);
      await insert(app, collection, ...TEXTS.map(text => ({ [field]: sent(text), year: -7, price: -0.5 })));
      const fields = JSON.stringify({ [field]: 1, year: 1, price: 1, _id: 0 });
      const plain = (await exportFile(app, collection, { fields })).text;
      const safe = (await exportFile(app, collection, { fields, safe: 'true' })).text;
      const isText = field === 'title' || field === 'flexible';
      const guards = isText ? TEXTS.filter(isGuarded).length : 0;
      expect(safe.length - plain.length).toBe(guards);
      if (!isText) return expect(safe).toBe(plain);
      const copy = await newTypedCollection(app, home);
      expect((await importFile(app, copy, safe)).last).toMatchObject({ ok: true, inserted: TEXTS.length });
      const wanted = TEXTS.map(text => ({
        [field]: isGuarded(text) ? `'${text}` : text,
        year: -7,
        price: -0.5,
      }));
      expect(await exported(app, copy, { fields })).toEqual(wanted);
    },
  );

  it('guards headers, and records of the past', async () => {
    const collection = await newTypedCollection(app, home);
    await insert(app, collection, { '=cmd': '=1', title: '=2' });
    const fields = '{"=cmd":1,"title":1,"_id":0}';
    const as_of = new Date(Date.now() + 5).toISOString();
    await new Promise(resolve => setTimeout(resolve, 30));
    const queries: Record<string, string>[] = [{}, { as_of }];
    for (const query of queries) {
      const { text } = await exportFile(app, collection, { fields, safe: 'true', ...query });
      expect(text).toBe("'=cmd,title\r\n'=1,'=2\r\n");
    }
    const { text } = await exportFile(app, collection, { fields });
    expect(text).toBe('=cmd,title\r\n=1,=2\r\n');
  });

  it.each<[Record<string, string>, string]>([
    [{ safe: 'true', format: 'ndjson' }, 'safe: is only allowed for CSV'],
    [{ safe: 'true', format: 'json' }, 'safe: is only allowed for CSV'],
    [{ safe: 'yes' }, 'safe'],
    [{ format: 'xlsx' }, 'format'],
    [{ guard: 'true' }, 'guard'],
  ])('refuses %j', async (query, says) => {
    const collection = await newTypedCollection(app, home);
    const answer = await exportFile(app, collection, query);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
  });
});
