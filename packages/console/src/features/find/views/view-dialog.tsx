import { type FormEvent, useId, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Field, Select } from '../../../ui/controls/field.js';
import { TextField } from '../../../ui/controls/text-field.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import type { Finder } from '../use-finder.js';
import type { SavedView, useViewChanges } from './use-views.js';
import styles from './views.module.css';

interface ViewDialogProps {
  readonly finder: Finder;
  readonly changes: ReturnType<typeof useViewChanges>;
  /** The view to rename; undefined to save what the page shows as a new one. */
  readonly view: SavedView | undefined;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** The name of a view and who sees it. Only who may write records can save views for everyone. */
export function ViewDialog({ finder, changes, view, open, onOpenChange }: ViewDialogProps) {
  const form = useId();
  const [name, setName] = useState(view?.name ?? '');
  const [audience, setAudience] = useState<SavedView['for']>(view?.for ?? 'me');
  const maySave = finder.collection.my_rights.includes('write');
  const { error, isPending } = view === undefined ? changes.create : changes.replace;
  const done = { onSuccess: () => onOpenChange(false) };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (view === undefined) changes.create.mutate({ name: name.trim(), for: audience }, done);
    else changes.replace.mutate({ view, name: name.trim(), audience, keep: true }, done);
  };
  return (
    <Dialog
      open={open}
      keepsInput={!isPending}
      onOpenChange={onOpenChange}
      title={t(view === undefined ? 'find.saveAsTitle' : 'find.renameTitle')}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{t('common.cancel')}</Button>
          <Button type="submit" form={form} look="primary" disabled={isPending || name.trim() === ''}>
            {t('common.save')}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit}>
        <TextField label={t('find.viewName')} maxLength={100} value={name} onChange={setName} />
        {maySave && (
          <Field label={t('find.viewFor')}>
            {control => (
              <Select
                {...control}
                value={audience}
                onChange={event => setAudience(event.target.value as SavedView['for'])}
              >
                <option value="me">{t('find.viewForMe')}</option>
                <option value="all">{t('find.viewForAll')}</option>
              </Select>
            )}
          </Field>
        )}
        {error !== null && <ErrorBox error={error} />}
      </form>
    </Dialog>
  );
}
