import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { FileSpreadsheet, MessageSquareText, Terminal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { api, client } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import button from '../../../ui/controls/button.module.css';
import { Code } from '../../../ui/controls/code.js';
import { Select } from '../../../ui/controls/field.js';
import { ErrorBox } from '../../../ui/states.js';
import styles from './first-steps.module.css';
import { SAMPLE_COLUMNS, sampleRecords } from './sample-data.js';

/** What to do while there is no collection: sample data, a file, a description, the API. */
export function FirstSteps({ onCreate }: { readonly onCreate: () => void }) {
  return (
    <div className={styles.steps}>
      <section className={styles.sample}>
        <h2>{t('collections.emptyTitle')}</h2>
        <p>{t('collections.sampleText')}</p>
        <SampleButton />
      </section>
      <h2>{t('collections.waysTitle')}</h2>
      <div className={styles.ways}>
        <Way icon={<MessageSquareText size={20} aria-hidden />} title={t('collections.wayDescription')}>
          <p>{t('collections.wayDescriptionText')}</p>
          <Button onClick={onCreate}>{t('collections.describe')}</Button>
        </Way>
        <Way icon={<FileSpreadsheet size={20} aria-hidden />} title={t('collections.wayCsv')}>
          <p>{t('import.newText')}</p>
          <Link to="/import" className={button.button}>
            {t('import.choose')}
          </Link>
          <p>{t('collections.wayCsvText')}</p>
          <Code text={linesOf(location.origin).csv} label={t('collections.wayCsv')} />
        </Way>
        <Way icon={<Terminal size={20} aria-hidden />} title={t('collections.wayApi')}>
          <ApiLines />
        </Way>
      </div>
    </div>
  );
}

interface WayProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children: ReactNode;
}

function Way({ icon, title, children }: WayProps) {
  return (
    <section className={styles.way}>
      <h3>
        {icon}
        {title}
      </h3>
      {children}
    </section>
  );
}

const KINDS = [
  { kind: 'curl', label: 'curl' },
  { kind: 'typescript', label: 'TypeScript' },
  { kind: 'cli', label: 'tcol' },
] as const;

/** The same two steps in the language that the person chooses. */
function ApiLines() {
  const [kind, setKind] = useState<(typeof KINDS)[number]['kind']>('curl');
  return (
    <>
      <p>{t('collections.wayApiText')}</p>
      <Select
        aria-label={t('collections.wayApiLanguage')}
        value={kind}
        onChange={({ target }) => setKind(KINDS.find(each => each.kind === target.value)?.kind ?? 'curl')}
      >
        {KINDS.map(each => (
          <option key={each.kind} value={each.kind}>
            {each.label}
          </option>
        ))}
      </Select>
      <Code text={linesOf(location.origin)[kind]} label={t('collections.wayApi')} />
    </>
  );
}

/** Creates a collection with 200 invented orders and opens it. */
function SampleButton() {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const load = useMutation({
    mutationFn: loadSample,
    onSuccess: async id => {
      await cache.invalidateQueries({ queryKey: ['collections'] });
      await navigate({ to: '/collections/$collection', params: { collection: id } });
    },
  });
  return (
    <>
      <Button look="primary" disabled={load.isPending} onClick={() => load.mutate()}>
        {load.isPending ? t('collections.sampleLoading') : t('collections.sampleLoad')}
      </Button>
      {load.error !== null && <ErrorBox error={load.error} />}
    </>
  );
}

async function loadSample(): Promise<string> {
  const { collection_id: id } = await api.collections.createCollection({
    name: 'sample-orders',
    description: t('collections.sampleDescription'),
    properties: SAMPLE_COLUMNS,
  });
  await client.collection(id).bulk(sampleRecords(Date.now()));
  return id;
}

/** Commands and code that create a collection and its first records, with the address of the service filled in. */
function linesOf(url: string): { readonly [Kind in 'csv' | 'curl' | 'typescript' | 'cli']: string } {
  return {
    csv: `# in a clone: npm ci && npm run build && npm install --global ./packages/cli
tcol login --url ${url}
tcol collections create books --from books.csv
tcol import books books.csv`,
    curl: `curl "${url}/v1/collections" -H "x-platform-api-key: $KEY" -H "content-type: application/json" \\
  -d '{"name":"books","properties":{"title":{"type":"text"},"year":{"type":"integer"}}}'
curl "${url}/v1/collections/books/data" -H "x-platform-api-key: $KEY" -H "content-type: application/json" \\
  -d '{"records":[{"title":"Emma","year":1815}]}'`,
    typescript: `import { createClient } from '@typed-collections/client';
import { createApi } from '@typed-collections/client/api';

const client = createClient({ url: '${url}', key: process.env.KEY });
await createApi(client).collections.createCollection({
  name: 'books',
  properties: { title: { type: 'text' }, year: { type: 'integer' } },
});
await client.collection('books').insert([{ title: 'Emma', year: 1815 }]);`,
    cli: `# in a clone: npm ci && npm run build && npm install --global ./packages/cli
tcol login --url ${url}
tcol collections create books --column 'title:text!' --column year:integer
tcol insert books '{"title": "Emma", "year": 1815}'`,
  };
}
