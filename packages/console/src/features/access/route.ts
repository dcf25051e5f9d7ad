import { getRouteApi } from '@tanstack/react-router';

/** The route of the page of access: its parameters and the search part of its address. */
export const accessRoute = getRouteApi('/shell/collections/$collection/access');
