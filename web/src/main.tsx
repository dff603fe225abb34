import { render } from 'preact';
import { App } from './app';
import './styles/tokens.css';
import './styles/controls.css';
import './styles/page.css';
import './styles/answer.css';
import './styles/assist.css';
import './styles/guide.css';
import { speakPreferred } from './texts';
import './styles/picture.css';
import './styles/why.css';
import { Page } from './view/Page';

speakPreferred();
const root = document.getElementById('root')!;
const draw = (app: App) => render(<Page app={app} />, root);
draw(new App(draw));
