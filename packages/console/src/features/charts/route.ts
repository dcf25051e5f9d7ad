import { getRouteApi } from '@tanstack/react-router';

/** The route of the charts of one collection: its parameters and the search part of its address. */
export const chartsRoute = getRouteApi('/shell/collections/$collection/charts');
