interface Layer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/**
 * Methods of the routes that match a path, empty when none does; what answers GET answers HEAD. Walks the router, so
 * only for refusals.
 */
export function allowedMethods(express: { router?: { stack: Layer[] } }, path: string): string[] {
  const layers = express.router?.stack ?? [];
  const methods = layers
    .filter(layer => layer.route !== undefined && layer.match(path))
    .flatMap(layer => Object.keys(layer.route?.methods ?? {}).map(method => method.toUpperCase()));
  if (methods.includes('GET')) methods.push('HEAD');
  return [...new Set(methods)].filter(method => method !== '_ALL').sort();
}
