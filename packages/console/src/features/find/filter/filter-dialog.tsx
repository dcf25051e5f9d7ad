import { Tabs } from '@base-ui/react/tabs';
import { useMutation } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { client } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { useOtherFields } from '../../../records/other-fields.js';
import { Button } from '../../../ui/controls/button.js';
import tabs from '../../../ui/controls/tabs.module.css';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/overlays/menu.js';
import { Loading } from '../../../ui/states.js';
import type { JsonObject } from '../../../values/json.js';
import { describe } from '../builder/describe.js';
import { FilterBuilder } from '../builder/filter-builder.js';
import { forgetFilters, lastFilters } from '../history.js';
import { fromFilter, showsAll } from '../model/from-filter.js';
import type { Problem } from '../model/problems.js';
import type { Finder } from '../use-finder.js';
import styles from './filter.module.css';
import { type FilterDraft, replaced, switched, written } from './filter-draft.js';
import { refusalOf, refusedItems } from './refusal.js';

const JsonEditor = lazy(() => import('../editor/json-editor.js'));

interface FilterDialogProps {
  readonly finder: Finder;
  /** What is being written. It outlives the dialog, so that closing it loses nothing. */
  readonly draft: FilterDraft;
  readonly onDraft: (draft: FilterDraft) => void;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

const NO_PROBLEMS: ReadonlyMap<string, Problem> = new Map();

/** The filter as conditions and as JSON. The service checks it before it is applied. */
export default function FilterDialog({ finder, draft, onDraft, open, onOpenChange }: FilterDialogProps) {
  const { collection, applyFilter } = finder;
  const fields = useOtherFields(collection.collection_id, collection.schema);
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const [isIncomplete, setIncomplete] = useState(false);
  const check = useCheck(collection.collection_id, filter => {
    applyFilter(filter);
    onOpenChange(false);
  });
  const refusal = refusalOf(check.error);
  const refused = check.variables;
  const refusals = useMemo(
    () =>
      refusal === undefined || refused === undefined
        ? new Map()
        : refusedItems(refusal, refused, draft.model),
    [refusal, refused, draft.model],
  );
  const edit = (next: FilterDraft) => {
    setProblems(NO_PROBLEMS);
    setIncomplete(false);
    check.reset();
    onDraft(next);
  };
  const showProblems = () => {
    const now = written(draft);
    setProblems('problems' in now ? now.problems : NO_PROBLEMS);
    setIncomplete(!('filter' in now));
  };
  const choose = (tab: FilterDraft['tab']) => {
    const next = switched(draft, tab);
    if (next === undefined) {
      showProblems();
      return;
    }
    // The filter is the same, so that what the service refused is refused in this form too.
    setProblems(NO_PROBLEMS);
    setIncomplete(false);
    onDraft(next);
  };
  const apply = () => {
    const now = written(draft);
    if ('filter' in now) check.mutate(now.filter);
    else showProblems();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('find.title')}
      shape="panel"
      footer={
        <>
          <RecentFilters finder={finder} onChoose={filter => edit(replaced(draft, filter))} />
          <Button onClick={() => edit(replaced(draft, {}))}>{t('find.clearFilter')}</Button>
          <Button look="primary" disabled={check.isPending} onClick={apply}>
            {check.isPending ? t('find.checking') : t('find.apply')}
          </Button>
        </>
      }
    >
      <Tabs.Root value={draft.tab} onValueChange={tab => choose(tab as FilterDraft['tab'])}>
        <Tabs.List className={tabs.tabs} aria-label={t('find.title')}>
          <Tabs.Tab className={tabs.tab} value="builder">
            {t('find.builder')}
          </Tabs.Tab>
          <Tabs.Tab className={tabs.tab} value="json">
            {t('find.json')}
          </Tabs.Tab>
        </Tabs.List>
        <div aria-live="polite">
          {isIncomplete && draft.tab === 'builder' && <p className={styles.wrong}>{t('find.incomplete')}</p>}
        </div>
        {refusal !== undefined && (
          <div role="alert" className={styles.refusal}>
            <strong>{t('find.refused')}</strong>
            <p>{refusal}</p>
          </div>
        )}
        <Tabs.Panel value="builder" className={tabs.panel}>
          {!showsAll(draft.model) && <p className={styles.note}>{t('find.partlyJson')}</p>}
          <FilterBuilder
            model={draft.model}
            columns={collection.schema}
            fields={fields}
            problems={problems}
            refusals={refusals}
            onChange={model => edit({ ...draft, model })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="json" className={tabs.panel}>
          <Suspense fallback={<Loading lines={6} />}>
            <JsonEditor
              text={draft.text}
              columns={collection.schema}
              fields={fields}
              refusal={refusal}
              onChange={text => edit({ ...draft, text })}
              onSubmit={apply}
            />
          </Suspense>
        </Tabs.Panel>
      </Tabs.Root>
    </Dialog>
  );
}

/** Lets the service read one record with the filter, and calls back unless it refuses the filter. */
function useCheck(collection: string, onAccepted: (filter: JsonObject) => void) {
  return useMutation({
    mutationFn: async (filter: JsonObject) => {
      try {
        await client
          .collection(collection)
          .find(filter, { fields: ['_id'] })
          .first();
      } catch (error) {
        // The page shows other failures, such as a timeout, where it shows the records.
        if (refusalOf(error) !== undefined) throw error;
      }
    },
    onSuccess: (_result, filter) => onAccepted(filter),
  });
}

interface RecentFiltersProps {
  readonly finder: Finder;
  readonly onChoose: (filter: JsonObject) => void;
}

/** The last filters that this person used for the collection in this browser. */
function RecentFilters({ finder: { person, collection }, onChoose }: RecentFiltersProps) {
  const { collection_id: id, schema } = collection;
  const [filters, setFilters] = useState(() => lastFilters(localStorage, person, id));
  const forget = () => {
    forgetFilters(localStorage, person, id);
    setFilters([]);
  };
  return (
    <Menu
      trigger={
        <Button className={styles.recent} icon={<History size={16} aria-hidden />}>
          {t('find.recent')}
        </Button>
      }
    >
      {filters.length === 0 && (
        <MenuItem disabled onSelect={() => undefined}>
          {t('find.noRecent')}
        </MenuItem>
      )}
      {filters.map(filter => (
        <MenuItem key={JSON.stringify(filter)} onSelect={() => onChoose(filter)}>
          <span className={styles.cut}>{describe(fromFilter(filter), schema)}</span>
        </MenuItem>
      ))}
      {filters.length > 0 && (
        <>
          <MenuSeparator />
          <MenuItem onSelect={forget}>{t('find.forgetRecent')}</MenuItem>
        </>
      )}
    </Menu>
  );
}
