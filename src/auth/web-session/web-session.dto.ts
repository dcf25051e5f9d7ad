import { ApiProperty } from '@nestjs/swagger';
import { IntegerField, TextField } from '../../http/field.decorators.js';

export class MintWebSessionTicketBody {
  @TextField({
    max: 2048,
    description: 'Where the browser goes: a path beginning with one /, or a URL of this platform.',
    example: '/docs',
  })
  redirect: string;

  @IntegerField({
    optional: true,
    min: 1,
    max: 300,
    description: 'Lifetime in seconds (default WEB_SESSION_TICKET_TTL, at most WEB_SESSION_TICKET_MAX_TTL).',
    example: 60,
  })
  expiresIn?: number;
}

export class WebSessionTicketView {
  @ApiProperty({
    description: 'Open it in a browser, once.',
    example:
      'http://127.0.0.1:3000/v2/user/webSession?ticket=Yx…&redirect=http%3A%2F%2F127.0.0.1%3A3000%2Fdocs',
  })
  url: string;

  @ApiProperty({ example: 'Yx0q4c8tN1sVb7mK3rWf9zLp2dHj6gEu5aToXiCyQnR' })
  ticket: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;
}
