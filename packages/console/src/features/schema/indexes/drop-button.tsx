import { t } from '../../../i18n/language.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import type { IndexEntry } from './index-set.js';

interface DropButtonProps {
  readonly entry: IndexEntry;
  readonly onDrop: () => Promise<unknown>;
}

/** Drops an index or a unique constraint, after a question that says what follows. */
export function DropButton({ entry: { kind, properties }, onDrop }: DropButtonProps) {
  const name = properties.join(', ');
  return (
    <ConfirmButton
      label={t('schema.drop')}
      name={t('schema.dropName', { kind: t(`schema.kind_${kind}`), name })}
      title={t('schema.dropTitle', { name })}
      run={onDrop}
    >
      <p>{t(kind === 'unique' ? 'schema.dropUnique' : 'schema.dropText')}</p>
    </ConfirmButton>
  );
}
