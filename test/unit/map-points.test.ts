import assert from 'node:assert/strict';
import fc from 'fast-check';
import { gridPoint, mapPoints } from '../../server/geo/map-points.ts';
import { placeLabel } from '../../server/geo/place.ts';
import { drawn } from '../support/drawn.ts';

const place = (city: string | null, lat: number, lng: number) => ({
  label: placeLabel({ city, country: 'Norway', countryCode: 'NO', lat, lng }),
  lat,
  lng,
});

describe('points of the map', () => {
  it('lie half a degree apart, and are never a negative zero', () => {
    assert.deepEqual(gridPoint(59.91, 10.75), { lat: 60, lng: 11 });
    assert.deepEqual(gridPoint(60.24, 10.74), { lat: 60, lng: 10.5 });
    assert.deepEqual(gridPoint(-0.2, -0.1), { lat: 0, lng: 0 });
    assert.equal(Object.is(gridPoint(-0.2, -0.1).lat, 0), true);
    assert.deepEqual(gridPoint(-17.8, -179.9), gridPoint(-17.8, 179.9));
  });

  it('of places near one another are one, named for the place with the most', () => {
    const points = mapPoints([
      [place('Bærum', 59.89, 10.8), 2],
      [place('Oslo', 59.91, 10.85), 5],
      [place(null, 61.4, 8.8), 6],
      [place('Asker', 59.83, 10.9), 5],
    ]);
    assert.deepEqual(points, [
      { lat: 60, lng: 11, label: 'Asker, Norway', count: 12 },
      { lat: 61.5, lng: 9, label: 'Norway', count: 6 },
    ]);
  });

  it('lose and invent nobody, wherever the places are', () => {
    const degrees = (limit: number) => fc.double({ min: -limit, max: limit, noNaN: true });
    const places = fc.tuple(degrees(90), degrees(180), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(fc.array(places), (all) => {
        const points = mapPoints(all.map(([lat, lng, count]) => [place('x', lat, lng), count] as const));
        const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);
        assert.equal(sum(points.map(({ count }) => count)), sum(all.map(([, , count]) => count)));
        assert.equal(new Set(points.map(({ lat, lng }) => `${lat} ${lng}`)).size, points.length);
        for (const { lat, lng } of points) assert.deepEqual(gridPoint(lat, lng), { lat, lng });
      }),
      drawn(),
    );
  });
});
