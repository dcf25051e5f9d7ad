import { getRouteApi } from '@tanstack/react-router';

/** The route of the records of one collection: its parameters and the search part of its address. */
export const recordsRoute = getRouteApi('/shell/collections/$collection/');
