import { useMutation, useQueryClient } from '@tanstack/react-query';
import { TcError } from '@typed-collections/client';
import { type FormEvent, useId, useState } from 'react';
import { api, client } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { collectionRoute } from '../../../api/routes.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Check } from '../../../ui/controls/check-list.js';
import { ChoiceField, TextField } from '../../../ui/controls/field.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { COLUMN_TYPES } from '../../../values/draft-columns.js';
import { offendersOf } from '../refusal/offenders.js';
import { Refusal } from '../refusal/refusal.js';
import styles from '../schema.module.css';
import { refreshCollection, refreshSoon } from '../use-schema.js';
import { REWRITTEN_TYPES, rewriteTexts, type WantedColumn } from './rewrite-texts.js';

/** What the dialog is opened for: a new column, one that is there, or one of the values of a flexible field. */
export interface ColumnTask {
  readonly kind: 'add' | 'change' | 'promote';
  readonly column: WantedColumn;
}

interface ColumnDialogProps {
  readonly info: CollectionInfo;
  readonly task: ColumnTask;
  readonly onClose: () => void;
}

const NAME = '[A-Za-z_][A-Za-z0-9_]*';

/** Type and rules of one column. The check shows which values do not fit before anything is changed. */
export function ColumnDialog({ info, task: { kind, column }, onClose }: ColumnDialogProps) {
  const form = useId();
  const [wanted, setWanted] = useState(column);
  const { check, save, rewrite } = useColumnChange(info.collection_id);
  const isTaken = kind !== 'change' && Object.hasOwn(info.schema, wanted.name);
  const isSame = kind === 'change' && wanted.type === column.type && wanted.nullable === column.nullable;
  const isBusy = check.isPending || save.isPending || rewrite.isPending;
  const forgetAnswers = () => {
    for (const request of [check, save, rewrite]) request.reset();
  };
  const change = (part: Partial<WantedColumn>) => {
    forgetAnswers();
    setWanted({ ...wanted, ...part });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isTaken || isSame) return;
    forgetAnswers();
    save.mutate(wanted, { onSuccess: onClose });
  };
  const error = rewrite.error ?? save.error ?? check.error;
  const isOfTexts = kind === 'promote' || (kind === 'change' && column.type === 'text');
  const mayRewrite =
    isOfTexts &&
    REWRITTEN_TYPES.includes(wanted.type) &&
    rewrite.error === null &&
    error instanceof TcError &&
    offendersOf(error.details).length > 0;
  return (
    <Dialog
      open
      keepsInput={!isBusy}
      onOpenChange={open => !open && onClose()}
      title={t(`schema.${kind}Title`, { name: column.name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          {kind !== 'add' && (
            <Button
              disabled={isBusy || isSame}
              onClick={() => {
                forgetAnswers();
                check.mutate(wanted);
              }}
            >
              {check.isPending ? t('schema.checking') : t('schema.check')}
            </Button>
          )}
          <Button type="submit" form={form} look="primary" disabled={isBusy || isSame || isTaken}>
            {save.isPending ? t('schema.saving') : t(`schema.${kind}Now`)}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.stack} onSubmit={submit}>
        <p className={styles.quiet}>{t(`schema.${kind}Text`)}</p>
        {kind === 'add' && (
          <TextField
            label={t('schema.name')}
            hint={t('schema.nameHint')}
            error={isTaken ? t('schema.nameTaken') : undefined}
            required
            maxLength={63}
            pattern={NAME}
            value={wanted.name}
            onChange={name => change({ name })}
          />
        )}
        <ChoiceField
          label={t('schema.type')}
          value={wanted.type}
          onChange={type => change({ type: type })}
          choices={COLUMN_TYPES}
        />
        <Check
          label={t('schema.required')}
          checked={!wanted.nullable}
          onChange={isRequired => change({ nullable: !isRequired })}
        />
        {check.data !== undefined && (
          <p role="status" className={styles.good}>
            {t('schema.fits', { count: check.data.affected_count ?? 0 })}
          </p>
        )}
        {error !== null && !rewrite.isPending && <Refusal error={error} />}
        {(mayRewrite || rewrite.isPending) && (
          <div className={styles.stack}>
            <p>{t('schema.rewriteText')}</p>
            <Button disabled={isBusy} onClick={() => rewrite.mutate(wanted, { onSuccess: onClose })}>
              {rewrite.isPending ? t('schema.rewriting') : t('schema.rewrite')}
            </Button>
          </div>
        )}
      </form>
    </Dialog>
  );
}

/** `check` asks the service whether every value fits and how many move; `save` changes the column. */
function useColumnChange(collectionId: string) {
  const { collection } = collectionRoute.useParams();
  const queries = useQueryClient();
  const send = ({ name, type, nullable }: WantedColumn, isCheck: boolean) =>
    api.schema.updateSchema({
      collection_id: collectionId,
      properties: { [name]: { type, nullable } },
      dry_run: isCheck,
    });
  const check = useMutation({ mutationFn: (column: WantedColumn) => send(column, true) });
  const save = useMutation({
    mutationFn: (column: WantedColumn) => {
      refreshSoon(queries, collection);
      return send(column, false);
    },
    onSettled: () => refreshCollection(queries, collection),
  });
  /** Rewrites texts as people write them, so that the service can convert them, and changes the column. */
  const rewrite = useMutation({
    mutationFn: async (column: WantedColumn) => {
      await rewriteTexts(client.collection(collectionId), column);
      return save.mutateAsync(column);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['record', collectionId] }),
  });
  return { check, save, rewrite };
}
