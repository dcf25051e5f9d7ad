import { getRouteApi } from '@tanstack/react-router';

/** The route above all pages of one collection: its parameters. */
export const collectionRoute = getRouteApi('/shell/collections/$collection');

/** The route of the page of access: its parameters and the search part of its address. */
export const accessRoute = getRouteApi('/shell/collections/$collection/access');

/** The route of the page of activity: its parameters and the search part of its address. */
export const activityRoute = getRouteApi('/shell/collections/$collection/activity');

/** The route of the charts of one collection: its parameters and the search part of its address. */
export const chartsRoute = getRouteApi('/shell/collections/$collection/charts');

/** The route of the list: the search part of its address. */
export const listRoute = getRouteApi('/shell/collections');

/** The route of the audit log: the search part of its address. */
export const auditRoute = getRouteApi('/shell/organization/audit');

/** The route of the records of one collection: its parameters and the search part of its address. */
export const recordsRoute = getRouteApi('/shell/collections/$collection/');
