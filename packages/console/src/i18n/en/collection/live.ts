/** Texts of this area. */
export const live = {
  title: 'Live',
  state_starting: 'Starting…',
  state_live: 'Changes are shown as they come.',
  state_catchingUp: 'Catching up…',
  state_reconnecting: 'Connection lost. Reconnecting…',
  state_paused: 'Paused while this tab is hidden',
  state_refused: 'Not following',
  askTitle: 'Show changes as they come?',
  askWhat:
    'Rows change in place as others write. New records are announced. All tabs of this browser share one connection, which closes while they are hidden.',
  askCost:
    'This starts the change feed of the collection. Every write then also stores its change: single writes are about as fast as before, bulk inserts take up to twice as long. A feed that nobody reads for 30 days ends by itself.',
  switchOn: 'Switch on',
  changes: 'Changes',
  noChanges: 'Nothing has changed since live was switched on.',
  type_inserted: 'Added',
  type_updated: 'Changed',
  type_deleted: 'Deleted',
  type_expired: 'Expired',
  you: 'you',
  somebody: 'unknown',
  actor: '{type} …{id}',
  news: '{count|One new record|{count} new records}',
  show: 'Show',
  rowChanged: 'Changed just now',
  rowDeleted: 'Deleted',
};
