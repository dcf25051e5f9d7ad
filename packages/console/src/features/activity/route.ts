import { getRouteApi } from '@tanstack/react-router';

/** The route of the page of activity: its parameters and the search part of its address. */
export const activityRoute = getRouteApi('/shell/collections/$collection/activity');
