import { Tabs } from '@base-ui/react/tabs';
import { t } from '../../../i18n/language.js';
import { Code } from '../../../ui/controls/code.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { sortQuery } from '../../grid/columns/sort.js';
import tabs from '../filter/filter.module.css';
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
  };
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('find.codeTitle')} shape="wide">
      <div className={styles.code}>
        <p>{t('find.codeText', { count: LIMIT })}</p>
        <Tabs.Root defaultValue="curl">
          <Tabs.List className={tabs.tabs} aria-label={t('find.codeTitle')}>
            {LANGUAGES.map(language => (
              <Tabs.Tab key={language} value={language} className={tabs.tab}>
                {t(`find.code_${language}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {LANGUAGES.map(language => (
            <Tabs.Panel key={language} value={language} className={tabs.panel}>
              <Code text={WRITERS[language](shown)} label={t(`find.code_${language}`)} />
            </Tabs.Panel>
          ))}
        </Tabs.Root>
        <p className={styles.hint}>{t('find.codeKey', { name: 'TC_KEY' })}</p>
      </div>
    </Dialog>
  );
}
