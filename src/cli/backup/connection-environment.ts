/** Where a database is, as the programs of PostgreSQL read it (manual, "Environment Variables"). */
export interface ConnectionEnvironment {
  readonly variables: Record<string, string>;
  readonly dbname: string;
}

/** In the environment and not among the arguments, which every user of the machine may see. */
export function environmentOf(url: string): ConnectionEnvironment {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const dbname = decodeURIComponent(pathname.slice(1));
  const host = hostname.replace(/^\[(.*)\]$/, '$1') || searchParams.get('host');
  const variables = {
    PGHOST: host,
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: dbname,
    PGSSLMODE: searchParams.get('sslmode'),
    PGSSLROOTCERT: searchParams.get('sslrootcert'),
  };
  const given = Object.entries(variables).filter((entry): entry is [string, string] => !!entry[1]);
  return { variables: Object.fromEntries(given), dbname };
}
