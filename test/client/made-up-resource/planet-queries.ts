import { queryOptions } from '@tanstack/react-query';
import type { CursorPage } from '../../../client/api/cursor-page.ts';
import { RequestError } from '../../../client/api/request.ts';

export interface Planet {
  id: string;
  name: string;
  moons: number;
}

export const STORED = new Map(
  [
    { id: 'p4', name: 'Mars', moons: 2 },
    { id: 'p8', name: 'Neptune', moons: 16 },
  ].map((planet): [string, Planet] => [planet.id, planet]),
);

export const PLANET_PAGES_KEY = ['planets', 'page'] as const;

export interface PlanetPageParams {
  pageSize: number;
  token: string | undefined;
  name?: string;
}

export const planetPageQuery = (params: PlanetPageParams) =>
  queryOptions({
    queryKey: [...PLANET_PAGES_KEY, params],
    queryFn: async (): Promise<CursorPage<Planet>> => ({
      rows: [...STORED.values()].filter(({ name }) => params.name === undefined || name === params.name),
      next: undefined,
    }),
  });

export const planetQuery = (id: string) =>
  queryOptions({
    queryKey: ['planet', id],
    queryFn: async () => {
      const planet = STORED.get(id);
      if (planet === undefined) throw new RequestError({ status: 404, code: 'not_found', message: 'No such planet.' });
      return planet;
    },
    retry: false,
  });
