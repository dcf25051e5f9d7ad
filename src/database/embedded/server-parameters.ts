/** Nothing is to outlive a run, in which many instances share the server. */
const FOR_TESTS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: 500 };

/**
 * Settings for a developer's machine, as command line arguments. Only loopback TCP, since a socket file's path is
 * limited to about 100 bytes. The log takes the server's own messages but no failed statements: those carry
 * users' data and go to the client anyway. Times do not depend on the machine.
 */
export function serverParameters(port: number, fsync: boolean): string[] {
  const parameters: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: '128MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    ...(fsync ? {} : FOR_TESTS),
  };
  return Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
