import { Controller, Get, Logger, Module, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Requires } from '../../platform/http/requires.decorator.js';
import { CONSOLE_DIRECTORY, ConsoleFiles } from './console-files.js';

/** The web console: static files. What it shows comes from the API, with the cookie of the browser. */
@ApiExcludeController()
@Controller('console')
class ConsoleController {
  private readonly files = new ConsoleFiles();

  constructor() {
    if (this.files.areBuilt) return;
    new Logger(ConsoleController.name).warn(
      `The console is not built: ${CONSOLE_DIRECTORY} has no index.html. Run npm run build, or set CONSOLE=off.`,
    );
  }

  @Get(['', '*path'])
  @Requires({ public: true })
  getConsole(@Req() request: Request, @Res() response: Response): void {
    this.files.send(request, response);
  }
}

@Module({ controllers: [ConsoleController] })
export class ConsoleModule {}
