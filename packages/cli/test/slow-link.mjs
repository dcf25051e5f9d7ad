// Passes bytes on to the service at the port that is its argument, large pieces slowly. Prints its own port.
import { connect, createServer } from 'node:net';
import process from 'node:process';
import { pipeline, Transform } from 'node:stream';

const server = createServer(socket => {
  const service = connect(Number(process.argv[2]), '127.0.0.1');
  const slow = new Transform({
    transform: (piece, _, done) => setTimeout(done, piece.length < 10_000 ? 0 : 20, null, piece),
  });
  pipeline(socket, slow, service, () => socket.destroy());
  pipeline(service, socket, () => service.destroy());
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
