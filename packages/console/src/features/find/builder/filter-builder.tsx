import { FolderPlus, Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { t } from '../../../i18n/language.js';
import { Button, IconButton } from '../../../ui/controls/button.js';
import { ChoiceList, Input, TextAreaField } from '../../../ui/controls/field.js';
import type { Columns } from '../../../values/field-types.js';
import { isObject } from '../../../values/json.js';
import { parseJson } from '../editor/json-text.js';
import { newCondition } from '../model/choices.js';
import { changed, type Path } from '../model/edit.js';
import type { Group, Item, Mode, Raw } from '../model/model.js';
import type { Problem } from '../model/problems.js';
import styles from './builder.module.css';
import {
  type Builder,
  BuilderProvider,
  type GroupEditorProps,
  placeOf,
  useBuilder,
} from './builder-context.js';
import { ConditionEditor } from './condition-editor.js';

interface FilterBuilderProps {
  readonly model: Group;
  readonly columns: Columns;
  readonly fields: readonly string[];
  /** Only for rules: suggestions for texts. */
  readonly variables?: readonly string[];
  readonly problems: ReadonlyMap<string, Problem>;
  readonly refusals: ReadonlyMap<string, string>;
  readonly onChange: (model: Group) => void;
}

const NO_VARIABLES: readonly string[] = [];

/** Groups of conditions in groups. */
export function FilterBuilder({
  model,
  columns,
  fields,
  variables = NO_VARIABLES,
  problems,
  refusals,
  onChange,
}: FilterBuilderProps) {
  const builder = useMemo<Builder>(
    () => ({
      columns,
      fields,
      variables,
      problems,
      refusals,
      change: (path, change) => onChange(changed(model, path, change)),
      renderGroup: props => <GroupEditor {...props} />,
    }),
    [model, columns, fields, variables, problems, refusals, onChange],
  );
  return (
    <BuilderProvider value={builder}>
      <GroupEditor group={model} path={[]} />
    </BuilderProvider>
  );
}

const MODES: readonly Mode[] = ['all', 'any', 'none'];

/** A group of conditions: which of them must hold, the conditions, and what can be added. */
function GroupEditor({ group, path, ofValues, inElement, isFixed = path.length === 0 }: GroupEditorProps) {
  const { change, columns } = useBuilder();
  const name = path.length === 0 ? t('find.rootGroup') : t('find.group', { place: placeOf(path) });
  const edit = (next: (group: Group) => Group) =>
    change(path, item =>
      item.kind === 'elements' ? { ...item, group: next(item.group) } : next(item as Group),
    );
  const add = (item: Item) => edit(group => ({ ...group, items: [...group.items, item] }));
  const first = ofValues ? '' : inElement ? 'name' : (Object.keys(columns)[0] ?? '_id');
  return (
    <fieldset className={styles.group} data-mode={group.mode}>
      <legend className="visually-hidden">{name}</legend>
      {!ofValues && (
        <div className={styles.groupHead}>
          <ChoiceList
            aria-label={`${t('find.mode')} (${name})`}
            value={group.mode}
            onChange={mode => edit(({ explicit: _spelling, ...group }) => ({ ...group, mode }))}
            choices={MODES}
            textOf={mode => t(`find.mode_${mode}`)}
          />
          {!isFixed && (
            <IconButton
              label={t('find.removeGroup', { place: placeOf(path) })}
              icon={<Trash2 size={16} aria-hidden />}
              onClick={() => change(path, () => undefined)}
            />
          )}
        </div>
      )}
      {group.items.length === 0 && !ofValues && <p className={styles.quiet}>{t('find.emptyGroup')}</p>}
      {group.items.length > 0 && (
        <ul className={styles.items}>
          {group.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place
            <li key={`${index}:${item.kind}`}>
              <ItemEditor item={item} path={[...path, index]} ofValues={ofValues} inElement={inElement} />
            </li>
          ))}
        </ul>
      )}
      <div className={styles.actions}>
        <Button
          look="plain"
          icon={<Plus size={16} aria-hidden />}
          onClick={() => add(newCondition(first, inElement ? {} : columns))}
        >
          {t('find.addCondition')}
        </Button>
        {!ofValues && (
          <Button
            look="plain"
            icon={<FolderPlus size={16} aria-hidden />}
            onClick={() => add({ kind: 'group', mode: group.mode === 'any' ? 'all' : 'any', items: [] })}
          >
            {t('find.addGroup')}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

interface ItemEditorProps {
  readonly item: Item;
  readonly path: Path;
  readonly ofValues: boolean | undefined;
  readonly inElement: boolean | undefined;
}

/** One item of a group, in the form that it has. */
function ItemEditor({ item, path, ofValues, inElement }: ItemEditorProps) {
  const { renderGroup } = useBuilder();
  if (item.kind === 'group') return renderGroup({ group: item, path, inElement });
  return (
    <Row path={path}>
      {item.kind === 'search' && <SearchEditor text={item.text} path={path} />}
      {item.kind === 'raw' && <RawEditor item={item} path={path} />}
      {(item.kind === 'condition' || item.kind === 'elements') && (
        <ConditionEditor item={item} path={path} ofValues={ofValues} inElement={inElement} />
      )}
    </Row>
  );
}

/** The frame of a condition: its name for screen readers, how to remove it, and what is wrong with it. */
function Row({ path, children }: { readonly path: Path; readonly children: ReactNode }) {
  const { change, problems, refusals } = useBuilder();
  const key = path.join('.');
  const problem = problems.get(key);
  const refusal = refusals.get(key);
  const place = placeOf(path);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a legend, which would stand in the row
    <div
      role="group"
      aria-label={t('find.condition', { place })}
      className={styles.row}
      data-wrong={problem !== undefined || refusal !== undefined}
    >
      <div className={styles.parts}>{children}</div>
      <IconButton
        label={t('find.removeItem', { place })}
        icon={<Trash2 size={16} aria-hidden />}
        onClick={() => change(path, () => undefined)}
      />
      {(problem !== undefined || refusal !== undefined) && (
        <p role="alert" className={styles.wrong}>
          {problem === undefined
            ? t('find.refusedHere', { message: refusal ?? '' })
            : t(`find.problem_${problem}`)}
        </p>
      )}
    </div>
  );
}

/** A part of the filter that the builder has no form for. It stays as it is until somebody writes other JSON. */
function RawEditor({ item, path }: { readonly item: Raw; readonly path: Path }) {
  const { change } = useBuilder();
  const text = item.text ?? JSON.stringify(item.filter, null, 2);
  const { value, problems } = parseJson(text);
  const [problem] = problems;
  const notFilter = isObject(value) ? undefined : t('find.json_object');
  const write = (text: string) => {
    const { value, problems } = parseJson(text);
    const filter = problems.length === 0 && isObject(value) ? value : item.filter;
    change(path, () => ({ kind: 'raw', filter, text }));
  };
  return (
    <div className={styles.raw}>
      <TextAreaField
        label={t('find.raw')}
        error={problem === undefined ? notFilter : t(`find.json_${problem.kind}`)}
        className={styles.code}
        spellCheck={false}
        rows={Math.min(10, text.split('\n').length)}
        value={text}
        onChange={write}
      />
    </div>
  );
}

/** A text in any of the text columns. */
function SearchEditor({ text, path }: { readonly text: string; readonly path: Path }) {
  const { change, columns } = useBuilder();
  return (
    <>
      <ChoiceList
        aria-label={t('find.field')}
        className={styles.field}
        value=""
        onChange={name => change(path, () => newCondition(name, columns))}
        choices={['', ...Object.keys(columns)]}
        textOf={name => name || t('find.anyText')}
      />
      <span className={styles.element}>{t('find.op_contains')}</span>
      <Input
        aria-label={t('find.value')}
        className={styles.value}
        value={text}
        onChange={event => change(path, () => ({ kind: 'search', text: event.target.value }))}
      />
    </>
  );
}
