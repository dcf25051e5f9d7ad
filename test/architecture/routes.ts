import { type INestApplication, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { REQUIREMENT, type Requirement } from '../../src/platform/http/requires.decorator.js';

type Controller = new (...args: never[]) => object;

/** A route as its decorators declare it. */
export interface DeclaredRoute {
  /** For example `GET /v1/collections/:collection_id`. */
  readonly name: string;
  readonly path: string;
  readonly operationId: string;
  readonly requirement: Requirement | undefined;
}

/** Every route of every controller of the app. */
export function routesOf(app: INestApplication): DeclaredRoute[] {
  const modules = [...app.get(ModulesContainer).values()];
  const controllers = modules.flatMap(module => [...module.controllers.values()].map(each => each.metatype));
  return [...new Set(controllers)].flatMap(controller => declaredRoutes(controller as Controller));
}

/** The routes of one controller. */
export function declaredRoutes(controller: Controller): DeclaredRoute[] {
  const prefixes = [Reflect.getMetadata(PATH_METADATA, controller)].flat() as string[];
  return methodsOf(controller).flatMap(([operationId, handler]) => {
    const paths = [Reflect.getMetadata(PATH_METADATA, handler) ?? []].flat() as string[];
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler)];
    return prefixes.flatMap(prefix =>
      paths.map(rest => {
        const path = `/${[prefix, rest]
          .flatMap(each => each.split('/'))
          .filter(Boolean)
          .join('/')}`;
        const requirement = Reflect.getMetadata(REQUIREMENT, handler);
        return { name: `${method} ${path}`, path, operationId, requirement };
      }),
    );
  });
}

/** The methods of a controller, including inherited ones. */
function methodsOf(controller: Controller): [string, object][] {
  const methods: [string, object][] = [];
  for (let type = controller.prototype; type !== Object.prototype; type = Object.getPrototypeOf(type)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(type))) {
      if (typeof value === 'function' && name !== 'constructor') methods.push([name, value]);
    }
  }
  return methods;
}
