import { useQuery } from '@tanstack/react-query';
import { featuresQuery, meQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { ErrorBox } from '../../ui/states/error-box.js';
import { Loading } from '../../ui/states/loading.js';
import { Applications } from './sections/applications.js';
import { Invitations } from './sections/invitations.js';
import { Passkeys } from './sections/passkeys.js';
import { Profile } from './sections/profile.js';
import styles from './sections/section.module.css';
import { Sessions } from './sections/sessions.js';
import { Tokens } from './sections/tokens.js';

/** Who is signed in, and everything that can act as this person. */
export function AccountPage() {
  const { data: me, error, refetch } = useQuery(meQuery);
  const { data: features } = useQuery(featuresQuery);
  return (
    <div className={styles.page}>
      <h1>{t('account.title')}</h1>
      {me === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <ErrorBox error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <>
          <Invitations />
          <Profile me={me} />
          {features?.passkeys && <Passkeys me={me} />}
          <Sessions />
          <Applications />
          <Tokens />
        </>
      )}
    </div>
  );
}
