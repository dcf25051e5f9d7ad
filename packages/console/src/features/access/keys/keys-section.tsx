import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { type ApiKey, keysQuery } from '../../../api/directory-queries.js';
import { accessRoute } from '../../../api/routes.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { DEFAULT_GRACE, GRACE_SECONDS, type Grace, GraceField } from '../../../ui/controls/grace-field.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { moment } from '../../../values/dates.js';
import styles from '../access.module.css';
import { useAccessReload } from '../queries.js';
import { KeyDialog, type NewSecret, SecretOfKey } from './key-dialog.js';
import { permissionName } from './key-permissions.js';

/** The keys of the collection, without their secrets. */
export function KeysSection({ info }: { readonly info: CollectionInfo }) {
  const { collection } = accessRoute.useParams();
  const { data, error, refetch } = useQuery(keysQuery(collection));
  const [task, setTask] = useState<ApiKey | 'new'>();
  const reload = useAccessReload();
  const close = () => setTask(undefined);
  return (
    <Section
      title={t('access.keys')}
      text={t('access.keysText')}
      actions={
        <Button icon={<KeyRound size={16} aria-hidden />} onClick={() => setTask('new')}>
          {t('access.newKey')}
        </Button>
      }
    >
      <SimpleTable
        label={t('access.keys')}
        items={data}
        itemKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={<p className={styles.quiet}>{t('access.noKeys')}</p>}
        columns={[
          { title: t('access.keyName'), cell: KeyName },
          {
            title: t('access.keyMay'),
            cell: ({ permissions }) => permissions.map(permissionName).join(', '),
          },
          { title: t('access.keyExpires'), cell: expiry },
          {
            title: t('access.keyUsed'),
            cell: ({ last_used_at: used }) => (used === null ? t('access.keyNeverUsed') : moment(used)),
          },
          {
            title: t('access.actions'),
            align: 'end',
            cell: key => (
              <span className={styles.end}>
                <Button aria-label={t('access.rotateOf', { name: key.name })} onClick={() => setTask(key)}>
                  {t('access.rotate')}
                </Button>
                <ConfirmButton
                  label={t('access.revoke')}
                  name={t('access.revokeOf', { name: key.name })}
                  title={t('access.revokeTitle', { name: key.name })}
                  run={async () => {
                    await api.apiKeys.deleteApiKey({ collection_id: info.collection_id, key_id: key.id });
                    await reload();
                  }}
                >
                  <p>{t('access.revokeText')}</p>
                </ConfirmButton>
              </span>
            ),
          },
        ]}
      />
      {task === 'new' && <KeyDialog info={info} onClose={close} />}
      {task !== undefined && task !== 'new' && <RotateDialog info={info} apiKey={task} onClose={close} />}
    </Section>
  );
}

function KeyName({ name, prefix }: ApiKey) {
  return (
    <>
      {name} <code className={styles.prefix}>{prefix}</code>
    </>
  );
}

function expiry({ expires_at: seconds }: ApiKey): string {
  if (seconds === null) return t('access.keyNeverExpires');
  const date = moment(new Date(seconds * 1_000).toISOString());
  return seconds * 1_000 < Date.now() ? t('access.keyExpired', { date }) : date;
}

interface RotateDialogProps {
  readonly info: CollectionInfo;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

/** Gives a key a new secret, and shows it this once. */
function RotateDialog({ info, apiKey, onClose }: RotateDialogProps) {
  const [grace, setGrace] = useState<Grace>(DEFAULT_GRACE);
  const [rotated, setRotated] = useState<NewSecret>();
  const reload = useAccessReload();
  const send = async () => {
    const key = await api.apiKeys.rotateApiKey({
      collection_id: info.collection_id,
      key_id: apiKey.id,
      grace_seconds: GRACE_SECONDS[grace],
    });
    setRotated(key);
    await reload();
  };
  return (
    <FormDialog
      title={t('access.rotateTitle', { name: apiKey.name })}
      action={t('access.rotate')}
      onClose={onClose}
      send={send}
      staysOpen
      isDone={rotated !== undefined}
    >
      {rotated === undefined ? (
        <GraceField grace={grace} onChange={setGrace} hint={t('access.graceHint')} />
      ) : (
        <SecretOfKey info={info} apiKey={rotated} />
      )}
    </FormDialog>
  );
}
