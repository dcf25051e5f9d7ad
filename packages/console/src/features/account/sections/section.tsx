import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { t } from '../../../i18n/language.js';
import { ConfirmButton as Button } from '../../../ui/overlays/confirm-dialog.js';
import { ErrorBox, Loading } from '../../../ui/states.js';
import { LISTS } from './queries.js';
import styles from './section.module.css';

interface Listed<Item> {
  readonly results: readonly Item[];
  readonly total: number;
}

interface RowsProps<Item> {
  readonly label: string;
  readonly query: UseQueryResult<Listed<Item>>;
  /** Shown in place of an empty list. */
  readonly empty: string;
  readonly children: (item: Item) => ReactNode;
}

/** The newest items of a list, or why there are none. Each child is a `Row` with a key. */
export function Rows<Item>({ label, query, empty, children }: RowsProps<Item>) {
  const { data, error, refetch } = query;
  if (data === undefined && error !== null) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading lines={2} />;
  if (data.results.length === 0) return <p className={styles.text}>{empty}</p>;
  const shown = data.results.length;
  return (
    <>
      <ul className={styles.rows} aria-label={label}>
        {data.results.map(children)}
      </ul>
      {shown < data.total && (
        <p className={styles.text}>{t('account.newest', { shown, total: data.total })}</p>
      )}
    </>
  );
}

interface RowProps {
  readonly name: ReactNode;
  /** Short marks beside the name. */
  readonly badges?: readonly (string | false)[];
  /** Facts below the name. */
  readonly meta?: readonly (string | false | null)[];
  readonly actions?: ReactNode;
}

/** One item: what it is, and what can be done with it. */
export function Row({ name, badges = [], meta = [], actions }: RowProps) {
  return (
    <li className={styles.row}>
      <div className={styles.about}>
        <div className={styles.name}>
          {name}
          {badges.map(
            badge =>
              badge !== false && (
                <span key={badge} className={styles.badge}>
                  {badge}
                </span>
              ),
          )}
        </div>
        <div className={styles.meta}>
          {meta.map(fact => fact !== false && fact !== null && <span key={fact}>{fact}</span>)}
        </div>
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </li>
  );
}

interface ConfirmButtonProps {
  readonly label: string;
  /** The name of the button for screen readers, which says what it is about. */
  readonly name?: string;
  /** The question, and what follows from a yes. */
  readonly title: string;
  readonly texts: readonly (string | false)[];
  readonly run: () => Promise<unknown>;
}

/** A step that ends something of the account. The lists of the page are read again afterwards. */
export function ConfirmButton({ texts, run, ...question }: ConfirmButtonProps) {
  const queryClient = useQueryClient();
  const runAndReload = async () => {
    await run();
    await queryClient.invalidateQueries({ queryKey: LISTS });
  };
  return (
    <Button {...question} run={runAndReload}>
      {texts.map(text => text !== false && <p key={text}>{text}</p>)}
    </Button>
  );
}
