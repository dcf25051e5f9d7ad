import { Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../../i18n/language.js';
import { IconButton } from '../../../ui/controls/button.js';
import type { Path } from '../model/edit.js';
import type { Item } from '../model/model.js';
import styles from './builder.module.css';
import { placeOf, useBuilder } from './builder-context.js';
import { ConditionEditor } from './condition-editor.js';
import { SearchEditor } from './search-editor.js';
import { RawEditor } from './values/raw-editor.js';

interface ItemEditorProps {
  readonly item: Item;
  readonly path: Path;
  readonly ofValues: boolean | undefined;
  readonly inElement: boolean | undefined;
}

/** One item of a group, in the form that it has. */
export function ItemEditor({ item, path, ofValues, inElement }: ItemEditorProps) {
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
