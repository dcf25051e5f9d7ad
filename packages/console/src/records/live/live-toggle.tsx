import { useQuery } from '@tanstack/react-query';
import { History, Radio } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.js';
import type { CollectionInfo } from '../../api/collection-query.js';
import { featuresQuery, meQuery } from '../../api/session.js';
import { language, t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { Dialog } from '../../ui/overlays/dialog.js';
import { ErrorBox } from '../../ui/states.js';
import { titleOfRecord } from '../../values/names.js';
import type { RecordChange } from './feed/ports.js';
import styles from './live.module.css';
import { actorOf } from './panel/actors.js';
import type { Live } from './use-live.js';

interface LiveToggleProps {
  readonly info: CollectionInfo;
  readonly live: Live;
  readonly onOpenRecord: (id: string) => void;
}

/** Switches live changes, says how they are, and opens the list of the last ones. */
export function LiveToggle({ info, live, onOpenRecord }: LiveToggleProps) {
  const { data: features } = useQuery(featuresQuery);
  const [asks, setAsks] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const { isOn, setOn, state, error, changes } = live;
  if (features?.changes !== true) return null;
  const toggle = () => {
    if (isOn) setOn(false);
    else if (isAgreed(info.collection_id)) setOn(true);
    else setAsks(true);
  };
  return (
    <>
      <Button
        aria-pressed={isOn}
        className={isOn && state === 'live' ? styles.isLive : undefined}
        icon={<Radio size={16} aria-hidden />}
        onClick={toggle}
      >
        {t('live.title')}
      </Button>
      <span role="status" className={isOn && state !== 'live' ? styles.state : 'visually-hidden'}>
        {isOn ? t(`live.state_${state}`) : ''}
      </span>
      {isOn && (
        <Button icon={<History size={16} aria-hidden />} onClick={() => setOpen(true)}>
          {t('live.changes')}
          <span className={styles.count}>{changes.length}</span>
        </Button>
      )}
      {isOn && error !== undefined && (
        <div className={styles.error}>
          <ErrorBox error={error} onRetry={live.restart} />
        </div>
      )}
      {asks && (
        <CostDialog
          onCancel={() => setAsks(false)}
          onAgree={() => {
            localStorage.setItem(agreement(info.collection_id), 'yes');
            setAsks(false);
            setOn(true);
          }}
        />
      )}
      {isOpen && (
        <RecentChanges
          info={info}
          changes={changes}
          onClose={() => setOpen(false)}
          onOpenRecord={id => {
            setOpen(false);
            onOpenRecord(id);
          }}
        />
      )}
    </>
  );
}

/** What live changes cost, asked once for each collection in a browser. */
function CostDialog({ onCancel, onAgree }: { readonly onCancel: () => void; readonly onAgree: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={onCancel}
      title={t('live.askTitle')}
      footer={
        <>
          <Button onClick={onCancel}>{t('common.cancel')}</Button>
          <Button look="primary" onClick={onAgree}>
            {t('live.switchOn')}
          </Button>
        </>
      }
    >
      <p>{t('live.askWhat')}</p>
      <p>{t('live.askCost')}</p>
    </Dialog>
  );
}

const agreement = (collectionId: string) => `live agreed ${collectionId}`;

function isAgreed(collectionId: string): boolean {
  return localStorage.getItem(agreement(collectionId)) === 'yes';
}

interface RecentChangesProps {
  readonly info: CollectionInfo;
  readonly changes: readonly RecordChange[];
  readonly onClose: () => void;
  readonly onOpenRecord: (id: string) => void;
}

/** The last changes since live was switched on: what, when, and for those who may read the log, by whom. */
function RecentChanges({ info, changes, onClose, onOpenRecord }: RecentChangesProps) {
  const actorOf = useActors(info, changes);
  return (
    <Dialog open onOpenChange={onClose} title={t('live.changes')} shape="panel">
      {changes.length === 0 && <p className={styles.quiet}>{t('live.noChanges')}</p>}
      <ol className={styles.changes} aria-label={t('live.changes')}>
        {changes.map(change => {
          const isGone = change.type === 'deleted' || change.type === 'expired';
          const title = titleOfRecord(change.record, info.schema);
          return (
            <li key={change.id}>
              <span className={styles[change.type]}>{t(`live.type_${change.type}`)}</span>
              {isGone ? (
                <span className={styles.record}>{title}</span>
              ) : (
                <Button look="plain" className={styles.record} onClick={() => onOpenRecord(change.record_id)}>
                  {title}
                </Button>
              )}
              <span className={styles.quiet}>
                <time dateTime={change.changed_at}>{timeOf(change.changed_at)}</time>
                {actorOf !== undefined && ` · ${actorOf(change)}`}
              </span>
            </li>
          );
        })}
      </ol>
    </Dialog>
  );
}

function timeOf(instant: string): string {
  return new Intl.DateTimeFormat(language(), { timeStyle: 'medium' }).format(new Date(instant));
}

/** Tells of new records that the grid does not show yet, and shows them when somebody wants to. */
export function LiveNews({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  return (
    <div role="status" className={count === 0 ? 'visually-hidden' : styles.news}>
      {count > 0 && (
        <>
          {t('live.news', { count })}
          <Button onClick={onShow}>{t('live.show')}</Button>
        </>
      )}
    </div>
  );
}

const MOST_EVENTS = 100;

/** Names who made a change, for those who may read the log of the collection; undefined for everybody else. */
function useActors(
  { collection_id, my_role, orgSlug }: CollectionInfo,
  changes: readonly RecordChange[],
): ((change: RecordChange) => string) | undefined {
  const mayRead = my_role === 'admin' || my_role === 'owner';
  const { data: me } = useQuery(meQuery);
  const newest = changes[0]?.id;
  const { data: events } = useQuery({
    queryKey: ['live-actors', collection_id, newest],
    queryFn: async ({ signal }) => {
      const { items } = await api.collections.listAuditEvents(
        { collection_id, limit: MOST_EVENTS },
        { signal },
      );
      return items;
    },
    enabled: mayRead && newest !== undefined,
    placeholderData: before => before,
  });
  const { data: members } = useQuery({
    queryKey: ['members', orgSlug],
    queryFn: async ({ signal }) => {
      return (await api.members.listOrgMembers({ orgSlug, limit: 100 }, { signal })).results;
    },
    enabled: events !== undefined,
    staleTime: 300_000,
  });
  if (events === undefined) return undefined;
  return change => {
    const actor = actorOf(change, events);
    if (actor === undefined) return t('live.somebody');
    if (actor.id === me?.id) return t('live.you');
    const member = members?.find(({ userId }) => userId === actor.id);
    const name = [member?.firstName, member?.lastName].filter(Boolean).join(' ');
    return name || (member?.email ?? t('live.actor', { type: actor.type, id: actor.id.slice(-8) }));
  };
}
