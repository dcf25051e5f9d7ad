/** Slug of an organization. Source: platform contract, Organizations. */
export const ORG_SLUG = /^[a-z0-9][a-z0-9_-]{1,39}$/;
