import { inject } from 'vitest';

const { allOnCitus } = inject('testServer');

/** Reasons to skip a test when every organization of the run is on Citus (DATABASE_CITUS=on), for `skipIf`. */
export const onCitus = {
  /** The service refuses change feeds and webhooks. */
  refusesFeeds: allOnCitus,
  /** Citus refuses updates of its tables by hand that use functions of columns. */
  refusesUpdatesByHand: allOnCitus,
  /** The server of the platform's tables has no statistics of the tables of organizations. */
  hasNoStatistics: allOnCitus,
};
