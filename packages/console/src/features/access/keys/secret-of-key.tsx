import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { Code } from '../../../ui/controls/code.js';
import { SecretOnce } from '../../../ui/controls/secret-once.js';
import styles from '../access.module.css';

/** What creating and rotating a key return. */
export interface NewSecret {
  readonly name: string;
  readonly secret: string;
  readonly permissions: readonly string[];
}

interface SecretOfKeyProps {
  readonly info: CollectionInfo;
  readonly apiKey: NewSecret;
}

/** The secret of a key, with a command that uses it. */
export function SecretOfKey({ info, apiKey: { name, secret, permissions } }: SecretOfKeyProps) {
  const mayRead = permissions.some(each => each === 'collections:read' || each === 'collections:*');
  const path = `${location.origin}/v1/collections/${info.collection_id}${mayRead ? '/data?limit=5' : ''}`;
  return (
    <SecretOnce label={t('access.secretOf', { name })} secret={secret}>
      <p className={styles.quiet}>{t('access.tryIt')}</p>
      <Code
        text={`curl '${path}' -H 'x-platform-api-key: ${secret}'`}
        label={t('access.curl')}
        copyLabel={t('common.copyOf', { name: t('access.curl') })}
      />
    </SecretOnce>
  );
}
