import { getRouteApi } from '@tanstack/react-router';

/** The route of the list: the search part of its address. */
export const listRoute = getRouteApi('/shell/collections');
