import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { TextField } from '../../../ui/controls/field.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { useChange } from '../use-organization.js';
import { slugOf } from './texts.js';

/** What has a name for people and a slug for programs. */
export interface Named {
  readonly name: string;
  readonly slug: string;
}

interface NamedFieldsProps {
  readonly value: Named;
  readonly onChange: (value: Named) => void;
  /** True: it exists, and its slug cannot be changed. */
  readonly exists: boolean;
  readonly slugHint?: string;
}

const SLUG = '[a-z0-9][a-z0-9_\\-]*';

/** A name, and a slug that follows the name until somebody writes another one. */
export function NamedFields({ value, onChange, exists, slugHint }: NamedFieldsProps) {
  const [follows, setFollows] = useState(true);
  const { name, slug } = value;
  return (
    <>
      <TextField
        label={t('organization.name')}
        required
        maxLength={200}
        value={name}
        onChange={next => onChange({ name: next, slug: !exists && follows ? slugOf(next) : slug })}
      />
      {!exists && (
        <TextField
          label={t('organization.slug')}
          hint={slugHint ?? t('organization.slugHint')}
          required
          maxLength={64}
          pattern={SLUG}
          spellCheck={false}
          value={slug}
          onChange={next => {
            setFollows(false);
            onChange({ name, slug: next });
          }}
        />
      )}
    </>
  );
}

interface NamedDialogProps {
  /** What to rename; undefined for a new one. */
  readonly of: Named | undefined;
  readonly newTitle: string;
  readonly send: (named: Named) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Makes or renames something that has a name only. */
export function NamedDialog({ of, newTitle, send, onClose }: NamedDialogProps) {
  const change = useChange();
  const [named, setNamed] = useState<Named>({ name: of?.name ?? '', slug: of?.slug ?? '' });
  return (
    <FormDialog
      title={of === undefined ? newTitle : t('organization.renameTitle', { name: of.name })}
      action={t('common.save')}
      onClose={onClose}
      send={() => change(() => send(named))}
    >
      <NamedFields value={named} onChange={setNamed} exists={of !== undefined} />
    </FormDialog>
  );
}
