import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MailDelivery, SENDS_MAIL } from './mail-delivery.service.js';
import { MailOutbox } from './mail-outbox.service.js';
import { OutboxMail } from './outbox-mail.entity.js';

/** Mail for every module. */
@Global()
@Module({})
export class MailModule {
  /** `sends`: false for a program that leaves sending to the instances of the service. */
  static with({ sends }: { readonly sends: boolean }): DynamicModule {
    return {
      module: MailModule,
      imports: [TypeOrmModule.forFeature([OutboxMail])],
      providers: [MailOutbox, MailDelivery, { provide: SENDS_MAIL, useValue: sends }],
      exports: [MailOutbox],
    };
  }
}
