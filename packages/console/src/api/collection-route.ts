import { getRouteApi } from '@tanstack/react-router';

/** The route above all pages of one collection: its parameters. */
export const collectionRoute = getRouteApi('/shell/collections/$collection');
