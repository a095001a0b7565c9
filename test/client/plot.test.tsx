import assert from 'node:assert/strict';
import { renderToStaticMarkup } from 'react-dom/server';
import { Plot } from '../../client/features/overview/charts/plot.tsx';

describe('a plot', () => {
  const day = (count: number) => ({ label: '24 Nov', words: 'Tue 24 Nov', count });
  const dots = (values: Parameters<typeof Plot>[0]['values'], shape: 'area' | 'bars' = 'area'): string[] =>
    renderToStaticMarkup(<Plot values={values} shape={shape} />).match(/<i [^>]*--share:[^>]*>/g) ?? [];

  it('shows a single day as a dot, since a line needs two', () => {
    const [dot = '', ...others] = dots([day(2)]);
    assert.match(dot, /--at:0\.5;--share:1\b/);
    assert.deepEqual(others, []);
  });

  it('marks no day of several before one is pointed at', () => {
    assert.deepEqual(dots([day(2), { ...day(3), label: '25 Nov' }]), []);
  });

  it('shows a single value of bars as a bar', () => {
    assert.equal(dots([day(2)], 'bars').length, 1);
  });
});
