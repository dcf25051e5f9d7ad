import { t } from '../../../i18n/language.js';
import { sortQuery } from '../../../records/grid/columns/sort.js';
import { CodeTabs } from '../../../ui/controls/code-tabs.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import type { Finder } from '../use-finder.js';
import styles from './code.module.css';
import { cli, curl, typescript } from './snippets.js';

interface CodeDialogProps {
  readonly finder: Finder;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Records that the code reads: the most that one request returns without a cursor. */
const LIMIT = 100;
const WRITERS = { curl, typescript, cli };
const LANGUAGES = ['curl', 'typescript', 'cli'] as const;

/** What the page shows as commands and as a program. */
export default function CodeDialog({ finder: { collection, search }, open, onOpenChange }: CodeDialogProps) {
  const shown = {
    url: location.origin,
    collection: collection.name,
    filter: search.filter ?? {},
    sort: sortQuery(search.sort) ?? {},
    fields: search.columns,
    limit: LIMIT,
    asOf: search.as_of,
  };
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('find.codeTitle')} shape="wide">
      <div className={styles.code}>
        <p>{t('find.codeText', { count: LIMIT })}</p>
        <CodeTabs
          label={t('find.codeTitle')}
          variants={LANGUAGES.map(language => ({
            id: language,
            title: t(`find.code_${language}`),
            text: WRITERS[language](shown),
          }))}
        />
        <p className={styles.hint}>{t('find.codeKey', { name: 'TC_KEY' })}</p>
      </div>
    </Dialog>
  );
}
