import { getRouteApi } from '@tanstack/react-router';

/** The route of the audit log: the search part of its address. */
export const auditRoute = getRouteApi('/shell/organization/audit');
