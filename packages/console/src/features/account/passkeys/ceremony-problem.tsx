import { t } from '../../../i18n/language.js';
import { ErrorBox } from '../../../ui/states.js';
import { CeremonyError, PROBLEM_TEXTS } from './ceremony-error.js';
import styles from './passkeys.module.css';

/** Says kindly what happened: a cancelled prompt is not a failure of the service. */
export function CeremonyProblem({ error }: { readonly error: unknown }) {
  if (!(error instanceof CeremonyError)) return <ErrorBox error={error} />;
  const { port } = location;
  const host = port === '' ? error.host : `${error.host}:${port}`;
  return (
    <p role="alert" className={styles.problem}>
      {t(PROBLEM_TEXTS[error.problem], { host })}
    </p>
  );
}
