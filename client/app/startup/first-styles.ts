// Styles of the shell and of lists, in the one style sheet of the first load: each later style sheet makes the browser
// recalculate the style of the whole page. Pages import the style sheets of further components themselves, which keeps
// the first load small. Mantine's are all in its cascade layer, so that our modules win.
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';
import '@mantine/core/styles/UnstyledButton.layer.css';
import '@mantine/core/styles/VisuallyHidden.layer.css';
import '@mantine/core/styles/Paper.layer.css';
import '@mantine/core/styles/Loader.layer.css';
import '@mantine/core/styles/ActionIcon.layer.css';
import '@mantine/core/styles/CloseButton.layer.css';
import '@mantine/core/styles/Button.layer.css';
import '@mantine/core/styles/Group.layer.css';
import '@mantine/core/styles/Stack.layer.css';
import '@mantine/core/styles/Center.layer.css';
import '@mantine/core/styles/Text.layer.css';
import '@mantine/core/styles/Title.layer.css';
import '@mantine/core/styles/Anchor.layer.css';
import '@mantine/core/styles/Badge.layer.css';
import '@mantine/core/styles/Code.layer.css';
import '@mantine/core/styles/Kbd.layer.css';
import '@mantine/core/styles/ThemeIcon.layer.css';
import '@mantine/core/styles/Alert.layer.css';
import '@mantine/core/styles/Skeleton.layer.css';
import '@mantine/core/styles/Notification.layer.css';
import '@mantine/core/styles/Burger.layer.css';
import '@mantine/core/styles/Input.layer.css';
import '../../resource/list/column-chooser.module.css';
import '../../resource/list/key-legend.module.css';
import '../../resource/list/pager.module.css';
import '../../resource/list/resource-table.module.css';
import '../../resource/list/selection-bar.module.css';
import '../../ui/fact-list.module.css';
import '../../ui/status-dot.module.css';
