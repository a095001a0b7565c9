// Styles of the shell and of lists, in the one style sheet of the first load: each later style sheet makes the browser
// recalculate the style of the whole page. Pages import the style sheets of further components themselves, which keeps
// the first load small. Mantine's are all in its cascade layer, so that our modules win.
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';
import '../../ui/elements/text.module.css';
import '../../ui/elements/layout.module.css';
import '../../ui/elements/button.module.css';
import '../../ui/elements/feedback.module.css';
import '../../ui/elements/field.module.css';
import '../../resource/list/key-legend.module.css';
import '../../resource/list/pager.module.css';
import '../../resource/list/resource-table.module.css';
import '../../resource/list/selection-bar.module.css';
import '../../resource/list/views-menu.module.css';
import '../../ui/fact-list.module.css';
import '../../ui/status-dot.module.css';
