import { ArrowUp, X } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { collectionRoute } from '../../../api/routes.js';
import { t } from '../../../i18n/language.js';
import { useOtherFields } from '../../../records/other-fields.js';
import { Button, IconButton } from '../../../ui/controls/button.js';
import { ChoiceField } from '../../../ui/controls/field.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { Refusal } from '../refusal/refusal.js';
import styles from '../schema.module.css';
import { indexableNames } from './index-names.js';
import type { IndexKind } from './index-set.js';
import { useIndexChange } from './use-index-change.js';

const KINDS: readonly IndexKind[] = ['ordered', 'search', 'unique'];

interface IndexDialogProps {
  readonly info: CollectionInfo;
  readonly onClose: () => void;
}

/** A new index or unique constraint: its kind, and its columns in their order. */
export function IndexDialog({ info, onClose }: IndexDialogProps) {
  const form = useId();
  const { collection } = collectionRoute.useParams();
  const [kind, setKind] = useState<IndexKind>('ordered');
  const [properties, setProperties] = useState<readonly string[]>([]);
  const others = useOtherFields(info.collection_id, info.schema);
  const build = useIndexChange(info, collection);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (properties.length > 0) build.mutate({ add: { kind, properties } }, { onSuccess: onClose });
  };
  const choose = (chosen: IndexKind) => {
    build.reset();
    setKind(chosen);
    const possible = indexableNames(chosen, info.schema, others);
    setProperties(properties.filter(name => possible.includes(name)));
  };
  return (
    <Dialog
      open
      keepsInput={!build.isPending}
      onOpenChange={open => !open && onClose()}
      title={t('schema.indexTitle')}
      footer={
        <>
          <Button onClick={onClose}>{build.isPending ? t('common.close') : t('common.cancel')}</Button>
          <Button
            type="submit"
            form={form}
            look="primary"
            disabled={build.isPending || properties.length === 0}
          >
            {build.isPending ? t('schema.building') : t('schema.build')}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.stack} onSubmit={submit}>
        <ChoiceField
          label={t('schema.kind')}
          hint={t(`schema.kindHint_${kind}`)}
          value={kind}
          onChange={each => choose(each)}
          choices={KINDS}
          textOf={each => t(`schema.kind_${each}`)}
        />
        <IndexColumns
          names={indexableNames(kind, info.schema, others)}
          chosen={properties}
          onChange={chosen => {
            build.reset();
            setProperties(chosen);
          }}
        />
        {build.error !== null && <Refusal error={build.error} />}
      </form>
    </Dialog>
  );
}

interface IndexColumnsProps {
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** The columns of the index. An index serves filters on its first columns, so their order matters. */
function IndexColumns({ names, chosen, onChange }: IndexColumnsProps) {
  const free = names.filter(name => !chosen.includes(name));
  const raised = (at: number) => [
    ...chosen.slice(0, at - 1),
    chosen[at] as string,
    chosen[at - 1] as string,
    ...chosen.slice(at + 1),
  ];
  return (
    <div className={styles.stack}>
      <ChoiceField
        label={t('schema.addToIndex')}
        hint={t('schema.orderHint')}
        value=""
        disabled={free.length === 0}
        onChange={name => name !== '' && onChange([...chosen, name])}
        choices={['', ...free]}
        textOf={name => name || t(free.length === 0 ? 'schema.noMore' : 'schema.choose')}
      />
      {chosen.length > 0 && (
        <ol className={styles.fields} aria-label={t('schema.indexColumns')}>
          {chosen.map((name, at) => (
            <li key={name}>
              <code>{name}</code>
              <span>
                {at > 0 && (
                  <IconButton
                    label={t('schema.raise', { name })}
                    icon={<ArrowUp size={16} aria-hidden />}
                    onClick={() => onChange(raised(at))}
                  />
                )}
                <IconButton
                  label={t('schema.leaveOut', { name })}
                  icon={<X size={16} aria-hidden />}
                  onClick={() => onChange(chosen.filter(each => each !== name))}
                />
              </span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
