import { Code, Download, Gauge, MessageCircleQuestion, SlidersHorizontal, X } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { equalJson } from '../../values/json.js';
import { describe } from './builder/describe.js';
import { type FilterDraft, newDraft } from './filter/filter-draft.js';
import styles from './finder.module.css';
import { fromFilter } from './model/from-filter.js';
import { toFilter } from './model/to-filter.js';
import { type Finder as Found, useFinder } from './use-finder.js';
import { ViewsMenu } from './views/views-menu.js';

const FilterDialog = lazy(() => import('./filter/filter-dialog.js'));
const AskDialog = lazy(() => import('./ask/ask-dialog.js'));
const ExportDialog = lazy(() => import('./export/export-dialog.js'));
const CodeDialog = lazy(() => import('./snippets/code-dialog.js'));
const ExplainDialog = lazy(() => import('./explain/explain-dialog.js'));

type Opened = 'filter' | 'ask' | 'export' | 'code' | 'explain';

/** Filter, saved views, questions, files and code. Reads and writes the search part of the address only. */
export function Finder() {
  const finder = useFinder();
  return finder === undefined ? null : <Tools finder={finder} />;
}

function Tools({ finder }: { readonly finder: Found }) {
  const [opened, setOpened] = useState<Opened>();
  // A dialog is loaded when it is opened first, and then stays, so that closing it can give back the focus.
  const [loaded, setLoaded] = useState<readonly Opened[]>([]);
  const [kept, setKept] = useState<FilterDraft>();
  const filter = finder.search.filter ?? {};
  const draft = kept !== undefined && equalJson(kept.base, filter) ? kept : newDraft(filter, kept?.tab);
  const open = (dialog: Opened) => {
    setLoaded(before => (before.includes(dialog) ? before : [...before, dialog]));
    setOpened(dialog);
  };
  const dialog = (name: Opened) => ({
    finder,
    open: opened === name,
    onOpenChange: (isOpen: boolean) => setOpened(isOpen ? name : undefined),
  });
  const count = Object.keys(filter).length;
  // The service answers questions and explains queries about the present records only.
  const isPast = finder.search.as_of !== undefined;
  return (
    <section className={styles.finder} aria-label={t('find.tools')}>
      <div className={styles.tools}>
        <Tool
          icon={<SlidersHorizontal size={16} aria-hidden />}
          label={count === 0 ? t('find.filter') : t('find.filterActive', { count: draft.model.items.length })}
          onClick={() => open('filter')}
        >
          {t('find.filter')}
        </Tool>
        <ViewsMenu finder={finder} />
        {!isPast && (
          <Tool icon={<MessageCircleQuestion size={16} aria-hidden />} onClick={() => open('ask')}>
            {t('find.ask')}
          </Tool>
        )}
        <Tool icon={<Download size={16} aria-hidden />} onClick={() => open('export')}>
          {t('export.start')}
        </Tool>
        <Tool icon={<Code size={16} aria-hidden />} onClick={() => open('code')}>
          {t('find.code')}
        </Tool>
        {!isPast && (
          <Tool
            icon={<Gauge size={16} aria-hidden />}
            label={`${t('schema.explain')}: ${t('schema.explainTitle')}`}
            onClick={() => open('explain')}
          >
            {t('schema.explain')}
          </Tool>
        )}
      </div>
      <FilterChips finder={finder} onEdit={() => open('filter')} />
      <Suspense fallback={null}>
        {loaded.includes('filter') && <FilterDialog {...dialog('filter')} draft={draft} onDraft={setKept} />}
        {loaded.includes('ask') && <AskDialog {...dialog('ask')} />}
        {loaded.includes('export') && <ExportDialog {...dialog('export')} />}
        {loaded.includes('code') && <CodeDialog {...dialog('code')} />}
        {loaded.includes('explain') && <ExplainDialog {...dialog('explain')} />}
      </Suspense>
    </section>
  );
}

interface ToolProps {
  readonly icon: ReactNode;
  /** More than the text says. */
  readonly label?: string;
  readonly onClick: () => void;
  readonly children: string;
}

function Tool({ icon, label, onClick, children }: ToolProps) {
  return (
    <Button
      icon={icon}
      aria-label={label ?? children}
      title={label ?? children}
      aria-haspopup="dialog"
      onClick={onClick}
    >
      <span className={styles.text}>{children}</span>
    </Button>
  );
}

interface FilterChipsProps {
  readonly finder: Found;
  readonly onEdit: () => void;
}

/** The active filter in words, a chip for each condition that must hold. Nothing without a filter. */
function FilterChips({ finder: { search, collection, show }, onEdit }: FilterChipsProps) {
  const { filter } = search;
  if (filter === undefined || Object.keys(filter).length === 0) return null;
  const root = fromFilter(filter);
  const items = root.mode === 'all' ? root.items : [root];
  const remove = (index: number) => {
    const left = toFilter({ ...root, items: items.toSpliced(index, 1) });
    show({ filter: items.length === 1 ? undefined : left });
  };
  return (
    <ul className={styles.chips} aria-label={t('find.activeFilter')}>
      {items.map((item, index) => {
        const text = describe(item, collection.schema);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition is its place
          <li key={index} className={styles.chip}>
            <button
              type="button"
              className={styles.chipText}
              aria-label={t('find.editCondition', { text })}
              title={text}
              onClick={onEdit}
            >
              <span>{text}</span>
            </button>
            <button
              type="button"
              className={styles.chipRemove}
              aria-label={t('find.removeCondition', { text })}
              onClick={() => remove(index)}
            >
              <X size={14} aria-hidden />
            </button>
          </li>
        );
      })}
      <li>
        <Button look="plain" onClick={() => show({ filter: undefined })}>
          {t('find.clearFilter')}
        </Button>
      </li>
    </ul>
  );
}
