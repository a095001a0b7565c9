import assert from 'node:assert/strict';
import { renderToStaticMarkup } from 'react-dom/server';
import { IconTrash } from '../../client/resource/icons.ts';

describe('an icon', () => {
  it('is 16 pixels of the colour of its text, and hidden from assistive technology', () => {
    const drawn = renderToStaticMarkup(<IconTrash />);
    for (const attribute of ['width="16"', 'height="16"', 'stroke="currentColor"', 'aria-hidden="true"']) {
      assert.ok(drawn.includes(attribute), drawn);
    }
  });

  it('is as large, as bold and of the class that is asked for', () => {
    const drawn = renderToStaticMarkup(<IconTrash size={26} stroke={1.6} className="lead" />);
    for (const attribute of ['width="26"', 'height="26"', 'stroke-width="1.6"', 'class="lead"']) {
      assert.ok(drawn.includes(attribute), drawn);
    }
  });
});
